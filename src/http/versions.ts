/** Versions that each service answers; a route names its service (`config.service`). `1` and `1.0` are the same. */
export const SERVICES = {
  accounts: ['1'],
  audit: ['1'],
  conversion: ['1', '2', '3', '4'],
  crs: ['1', '2'],
  eventing: ['1'],
  features: ['1'],
  filesync: ['1', '2'],
  groups: ['1'],
  iam: ['1', '2', '3', '4'],
  metadata: ['1', '2', '3', '4'],
  raw: ['1', '2'],
  recycleBin: ['1', '2', '3', '4'],
  security: ['1', '2', '3', '4'],
  tiles: ['1'],
  tokens: ['1'],
} as const satisfies Record<string, readonly string[]>;

export type Service = keyof typeof SERVICES | 'none';
