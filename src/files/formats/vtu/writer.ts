import type { ByteSink } from '../../data/bytes.ts';
import type { Mesh } from '../../data/mesh.ts';
import { stepsOf, timeOf } from '../../data/time-axis.ts';
import type { Context, Write } from '../define.ts';
import { type FileType, zipType } from '../file-type.ts';
import { needsStep } from '../io/needs-step.ts';
import { escaped } from '../io/xml-text.ts';
import { ZipWriter } from '../io/zip-writer.ts';
import { loaded } from './block-spool.ts';
import { featurePart } from './feature-part.ts';
import { startTime } from './field-data.ts';
import { MeshParts } from './mesh-parts.ts';
import type { writeParameters } from './parameters.ts';
import { type Part, partBytes } from './part.ts';

export const write: Write<typeof writeParameters, 'mesh' | 'features'> = async (
  data,
  _parameters,
  sink,
  context,
): Promise<FileType | undefined> => {
  if (data.kind === 'features') await append(sink, await featurePart(data, context));
  else {
    needsStep(data);
    if (stepsOf(data) > 1) {
      await writeCollection(data, sink, context);
      return zipType;
    }
    await append(sink, await onlyPart(data, context));
  }
  return undefined;
};

async function append(sink: ByteSink, part: Part): Promise<void> {
  for (const piece of partBytes(part)) await sink.append(await loaded(piece));
}

/** The start as character codes, because meshio cannot read text arrays. */
async function onlyPart(mesh: Mesh, context: Context): Promise<Part> {
  const start = startTime(mesh, context);
  const codes = start === undefined ? [] : [{ name: 'StartTime', values: Int8Array.from(Buffer.from(start)) }];
  return new MeshParts(mesh, context).part(0, codes);
}

/** A name that every file system accepts. */
const fileName = (name: string): string => name.replace(/[^\p{L}\p{N} ._-]/gu, '_').replace(/^\.+/, '') || 'mesh';

/** Only the first part has the start as a text: ParaView shows it, and meshio can read all other parts. */
async function writeCollection(mesh: Mesh, sink: ByteSink, context: Context): Promise<void> {
  const zip = new ZipWriter(sink);
  const name = fileName(mesh.name ?? '');
  const steps = stepsOf(mesh);
  const digits = Math.max(4, String(steps - 1).length);
  const stepFile = (step: number) => `parts/${name}_${String(step).padStart(digits, '0')}.vtu`;
  const start = startTime(mesh, context);
  const parts = new MeshParts(mesh, context);
  const time = mesh.time!;
  const seconds = (step: number) => (timeOf(time, step) - timeOf(time, 0)) / 1000;
  const repeated = Array.from({ length: steps }, (_, step) => step).filter(
    (step) => step > 0 && seconds(step) === seconds(step - 1),
  ).length;
  if (repeated > 0)
    context.reportLoss(
      `${repeated} ${repeated === 1 ? 'step has' : 'steps have'} the same time as the step before. ParaView shows such steps together.`,
    );
  for (let step = 0; step < steps; step++) {
    context.signal.throwIfAborted();
    const part = await parts.part(step);
    const withText = step === 0 && start !== undefined ? { ...part, text: { name: 'StartTime', value: start } } : part;
    await zip.addStored(stepFile(step), partBytes(withText), loaded);
  }
  const entries = Array.from(
    { length: steps },
    (_, step) => `<DataSet timestep="${seconds(step)}" group="" part="0" file="${escaped(stepFile(step))}"/>\n`,
  );
  const pvd = `<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n<Collection>\n${entries.join('')}</Collection>\n</VTKFile>\n`;
  await zip.addBytes(`${name}.pvd`, Buffer.from(pvd));
  await zip.finish();
}
