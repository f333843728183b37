const now = Date.now();

/**
 * The clock of one-time passwords. It stands still, so that the step of a code does not end before the login, however
 * slow the machine is.
 */
export const clock = () => now;
