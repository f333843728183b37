import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';

/** Real files of other programs, which are no part of this repository. */
const folder = '/work/shared/data/dfs';

export interface ExpectedItem {
  name: string;
  eumItem: number;
  eumUnit: number;
  dataType: string;
  valueType: number;
  shape?: number[];
  axis: number[];
  min: number;
  max: number;
  deleted: number;
  count: number;
  sha256First: string;
  sha256Last: string;
}

export interface Expected {
  file: string;
  title: string;
  dataType: number;
  compressed: boolean;
  projection: { text: string; lon: number; lat: number; rotation: number } | null;
  time: { axis: string; start: string | null; unit: number; steps: number; first: number; last: number };
  deleteFloat: number;
  items: ExpectedItem[];
  statics: { name: string; count: number }[];
}

const present = existsSync(join(folder, 'expected.json'));
if (!present) console.warn(`SKIPPED: the sample files in ${folder} are absent, so tests on them do not run.`);

/** Description of each sample by an independent reader; empty if the samples are absent. */
export const expected: Expected[] = present ? JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) : [];

export const sampleTest = present ? test : test.skip;

export const sampleBytes = (file: string): Promise<Buffer> => readFile(join(folder, file));
