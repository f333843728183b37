/** Limits of Kubernetes, so that its labels can be used: 253 characters of prefix, a slash, 63 of name. */
const KEY = /^[A-Za-z0-9]([\w./-]{0,315}[A-Za-z0-9])?$/;
const VALUE = /^[\w.-]{1,63}$/;

/** Whether the text is `key=value` or `key`. In a request, `key` matches any value. */
export function isLabel(text: string): boolean {
  const [key = '', ...values] = text.split('=');
  return KEY.test(key) && (values.length === 0 || (values.length === 1 && VALUE.test(values[0] ?? '')));
}
