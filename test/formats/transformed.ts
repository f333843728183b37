import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { SideFile } from '../../src/files/convert/conversion.ts';
import { kindsUpTo } from '../../src/files/convert/offers.ts';
import { convertData } from '../../src/files/convert/pipeline.ts';
import { parseTransformations } from '../../src/files/convert/steps/transformations.ts';
import { type Data, type DataKind, kindNouns } from '../../src/files/data/data.ts';

/** A folder that lives as long as the test. */
export async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steps-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Leads data through transformations; `look` sees what the writer would get. */
export async function passed<D extends Data>(
  t: ExecutionContext,
  data: D,
  transformations: object[],
  look: (data: D) => Promise<void>,
  sideInputs: Record<string, SideFile> = {},
) {
  const folder = await folderOf(t);
  const lost: string[] = [];
  const remarks: string[] = [];
  const context = {
    signal: new AbortController().signal,
    scratch: folder,
    log() {},
    progress() {},
    reportLoss: (sentence: string) => void lost.push(sentence),
    remark: (sentence: string) => void remarks.push(sentence),
    reportBadRecord() {},
    onEnd: (close: () => Promise<void>) => t.teardown(close),
  };
  const steps = parseTransformations(transformations);
  const names = steps.map(({ type }) => type);
  const kinds = kindsUpTo({ accepts: Object.keys(kindNouns) as DataKind[] }, data.kind, names) ?? [];
  const work = { steps, kinds, sideInputs, srid: undefined, stem: 'made' };
  const write = async (data: Data) => look(data as D);
  return { ...(await convertData(data, work, write, context)), lost, remarks };
}
