/** Longest keys and values of Kubernetes, whose labels these may be. */
const KEY = /^[A-Za-z0-9]([\w./-]{0,315}[A-Za-z0-9])?$/;
const VALUE = /^[\w.-]{1,63}$/;

/** Whether this is `key=value`, or a key alone: of a worker, something it has; of a request, a key whose value does not matter. */
export function isLabel(text: string): boolean {
  const [key = '', ...values] = text.split('=');
  return KEY.test(key) && (values.length === 0 || (values.length === 1 && VALUE.test(values[0] ?? '')));
}
