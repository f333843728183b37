import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { localOutput } from 'hydrofiles/command';
import { count, record, table } from 'hydrofiles/terminal';
import type { Preview } from '../../src/preview/route-forms.ts';
import type { Io } from '../io.ts';
import { number } from '../options.ts';
import { drawPreview, type PictureOptions } from '../preview-picture.ts';

interface PreviewOptions extends PictureOptions {
  png?: string;
  force?: boolean;
  wait: number;
}

const MOST_WAIT_S = 60;

export function previewCommand(dataset: Command, io: Io): void {
  dataset
    .command('preview <id>')
    .description('show what can be drawn of a dataset, or draw it')
    .option('--png <file>', 'draw a picture of the place of the data; - for stdout')
    .option('--item <id>', 'id or name of the item; default: that of the preview')
    .option('--step <number>', 'number of the time step, from 0; default: the one with most data', count)
    .option('--layer <number>', 'number of the layer, from 0, the lowest; default: the highest', count)
    .option('--colors <colors>', 'colours, such as F7FBFF,08306B; default: those of the preview')
    .option('--min <number>', 'value of the first colour', number)
    .option('--max <number>', 'value of the last colour', number)
    .option('--wait <seconds>', 'how long to wait while a store for the preview is made', count, MOST_WAIT_S)
    .option('--force', 'replace an existing file')
    .action((id, options) => showPreview(io, id, options));
}

async function showPreview(
  io: Io,
  id: string,
  { png, force = false, wait, ...options }: PreviewOptions,
): Promise<void> {
  const path = `/api/preview/dataset/${encodeURIComponent(id)}`;
  const headers = { prefer: `wait=${Math.min(wait, MOST_WAIT_S)}` };
  const answer = await io.api.call<Preview>('GET', path, { headers });
  if (png === undefined) return io.show(answer, describe);
  const canvas = await drawPreview(io, path, answer.body, options);
  await using open = new AsyncDisposableStack();
  const target = await localOutput(png, force, open);
  await writeFile(target.path, canvas.png());
  const { files } = await target.finish(io, (name) => name);
  if (png === '-') return;
  io.show({ status: 200, headers: {}, text: '', body: undefined }, () => `Written to ${files.join(', ')}.`, { files });
}

function describe({ state, progress, reason, kind, items = [], steps, layers, bbox, srid, cells }: Preview) {
  const facts = record({
    State: progress === undefined ? state : `${state}, ${Math.floor(100 * progress)} %`,
    Reason: reason,
    Kind: kind,
    Steps: steps && [steps.count, steps.first, steps.last].filter((part) => part !== undefined).join(', '),
    'Best step': steps?.best,
    Layers: layers?.count,
    Extent: bbox?.map((degrees) => degrees.toFixed(5)).join(', '),
    CRS: srid,
    Cells: cells,
  });
  if (items.length === 0) return facts;
  const rows = items.map(({ id, name, unit, min, max }) => [id, name, unit, min, max]);
  return [facts, table(['ITEM', 'NAME', 'UNIT', 'MIN', 'MAX'], rows)];
}
