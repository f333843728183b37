import type { Glossary } from './entry.ts';

/** Parameters of queries and paths. */
export const PARAMETERS: Glossary = {
  namePrefix: 'Prefix of names; case-sensitive.',
  capability: 'Keeps projects in which the caller has this capability. Not together with `role`.',
  sortBy: 'Sort key.',
  sortOrder: '`Asc` or `Desc`.',
  dryRun: 'Checks the request and the first bytes of stored input, and starts nothing.',
  includeSasTokens: 'Adds a signed query to each dataset, which grants access to its contents.',
  downloadFileName: 'Name of the downloaded file.',
  from: 'Start of the period, UTC; inclusive.',
  to: 'End of the period, UTC; exclusive.',
  fulltext: 'Text in any value of the record; case-insensitive.',
  nametext: 'Text in the name; case-insensitive.',
  filter: '`File` readers and writers, `Dedicated` ones, or all.',
  groupId: 'Ids of groups. Absent: all.',
  ip: 'IP address.',
  olderThan: 'Minimum age of jobs: `[d.]h:mm:ss`.',
  resourceId: 'Id of a dataset. Absent: all files of the project.',
  sourceId: 'Id of the input dataset.',
  targetId: 'Id of the output dataset.',
  'getSasToken?.expiration': 'Lifetime of the signed query: `[d.]h:mm:ss`.',
  token: 'Token of the mail.',
  area: '`staging`, `dataset` or `export`.',
};
