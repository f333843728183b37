/** A conversion process that never gets so far as to take orders. */
setInterval(() => {}, 1000);
