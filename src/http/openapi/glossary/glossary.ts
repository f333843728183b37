import { ACCOUNTS } from './accounts.ts';
import { CREDITS } from './credits.ts';
import { COORDINATE_SYSTEMS } from './crs.ts';
import type { Glossary } from './entry.ts';
import { EVENTS } from './events.ts';
import { FEATURES } from './features.ts';
import { LICENSING } from './licensing.ts';
import { MULTIDIMENSIONAL } from './multidimensional.ts';
import { OPERATIONS } from './operations.ts';
import { PARAMETERS } from './parameters.ts';
import { PROJECTS } from './projects.ts';
import { RECORDS } from './records.ts';
import { TILES } from './tiles.ts';
import { TIME_SERIES } from './timeseries.ts';
import { TOKENS } from './tokens.ts';
import { TRANSFERS } from './transfers.ts';

const PARTS = [
  RECORDS,
  ACCOUNTS,
  TOKENS,
  PROJECTS,
  TRANSFERS,
  EVENTS,
  CREDITS,
  LICENSING,
  COORDINATE_SYSTEMS,
  FEATURES,
  OPERATIONS,
  PARAMETERS,
  TIME_SERIES,
  MULTIDIMENSIONAL,
  TILES,
];

/** Descriptions of members of requests and answers, and of parameters, for the OpenAPI document. */
export const GLOSSARY: Glossary = Object.assign({}, ...PARTS);

const entries = PARTS.reduce((sum, part) => sum + Object.keys(part).length, 0);
if (entries !== Object.keys(GLOSSARY).length) throw new Error('Two parts of the glossary have the same entry.');
