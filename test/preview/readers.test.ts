import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readers } from '../../src/files/formats/registry.ts';
import { OpenPreview } from '../../src/files/preview.ts';
import { Bench } from '../laboratory/bench.ts';
import { samplesOf } from '../laboratory/samples.ts';
import { draw, middleOf, tileAt } from './previews.ts';

/** The level at which the data are as wide as half a tile or more. */
const levelOf = ([west, , east]: readonly [number, number, number, number]): number =>
  Math.max(0, Math.ceil(Math.log2(180 / (east - west))));

for (const reader of readers) {
  if (reader.name === 'FileReader') continue;
  test(`files of ${reader.name} describe themselves, and draw a tile where they have a place`, async (t) => {
    await using bench = await Bench.open();
    const scratch = await mkdtemp(join(tmpdir(), 'preview-'));
    t.teardown(() => rm(scratch, { recursive: true, force: true }));
    const signal = new AbortController().signal;
    for (const { path, parameters } of await samplesOf(bench, reader)) {
      const input = { path, reader: reader.name, parameters, kind: 'file' } as const;
      const opened = await OpenPreview.open(input, { scratch, signal }).catch((error: Error) => error);
      if (opened instanceof Error) {
        t.regex(opened.message, /Choose one with Layer/);
        continue;
      }
      await using preview = opened;
      const description = await preview.describe();
      t.deepEqual(JSON.parse(JSON.stringify(description)), description);
      t.is(description.kind, preview.data.kind === 'array' ? 'arrays' : preview.data.kind);
      t.true(description.items.every(({ id, name }, n) => (id === 'colors' || Number(id) >= n - 1) && name !== ''));
      const { raster, vector } = description.tiles;
      t.is(raster || vector, description.reason === undefined, description.reason);
      if (!raster) continue;
      const { steps, layers, scheme, deepest, bbox } = description;
      const made = [];
      for (let layer = 0; layer < layers.count; layer++)
        made.push(
          await draw(preview, {
            ...tileAt(Math.min(deepest, levelOf(bbox!)), ...middleOf(description)),
            item: scheme.item,
            step: steps.best,
            layer,
            scheme,
          }),
        );
      t.true(made.some((tile) => tile !== undefined));
    }
    t.pass();
  });
}
