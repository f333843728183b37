const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * The amount of a quantity of Kubernetes, such as `500m`, `4Gi`, `1.5` or `12e6`: bytes of memory and storage, else a
 * count. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 * @throws Error if the text is no quantity
 */
export function parseQuantity(text: string): number {
  const [, number = '', suffix = ''] = /^([+-]?[\d.]{1,40}(?:[eE][+-]?\d{1,3})?)([a-zA-Z]{0,2})$/.exec(text) ?? [];
  const amount = number === '' ? Number.NaN : Number(number) * (SUFFIXES[suffix] ?? Number.NaN);
  if (!Number.isFinite(amount)) throw new Error(`'${text}' is not a quantity such as 500m or 4Gi.`);
  return amount;
}
