import { readFile } from 'node:fs/promises';
import { findReader } from 'hydrofiles';
import { FileSource } from 'hydrofiles/bytes';
import { type Mesh, type Series, stepsOf, timeOf } from 'hydrofiles/data';
import { cellsAt } from 'hydrofiles/geometry';
import { clockText } from 'hydrofiles/text';
import { inspect } from './check.ts';
import { quietContext } from './context.ts';
import { floodItems, type Peak } from './flood.ts';

/**
 * Compares a file that came back with the flood and the file that was sent. Returns the differences and the number of
 * values.
 */
export async function floodFaults(
  flood: Mesh,
  sent: string,
  back: string,
  scratch: string,
): Promise<{ wrong: string[]; values: number }> {
  const { wrong, values } = await valueFaults(flood, back, 'DfsuReader', scratch);
  if (!(await readFile(sent)).equals(await readFile(back))) wrong.push('its bytes are not those that were sent');
  return { wrong, values };
}

/**
 * Compares the values of a mesh in a file with those of the flood. Returns the differences and the number of values.
 */
export async function valueFaults(
  flood: Mesh,
  path: string,
  reader: string,
  scratch: string,
): Promise<{ wrong: string[]; values: number }> {
  const wrong: string[] = [];
  await using open = new AsyncDisposableStack();
  const source = open.use(await FileSource.open(path, { checksum: false }));
  const context = quietContext(scratch, (close) => open.defer(close));
  const mesh = (await findReader(reader)!.read(source, {}, context)) as Mesh;
  let values = 0;
  for (const [n, { name }] of flood.items.entries())
    for (let step = 0; step < stepsOf(flood); step++) {
      const [computed, found] = [await flood.values(n, step), await mesh.values(n, step)];
      const cell = computed.findIndex((value, k) => value !== found[k]);
      if (cell >= 0)
        wrong.push(`${name} of element ${cell + 1} at step ${step} is ${found[cell]}, not ${computed[cell]}`);
      values += found.length;
    }
  return { wrong, values };
}

/**
 * Compares a map of the water depth with that of the mesh. Returns the differences and the area under water in square
 * metres.
 */
export async function depthMapFaults(
  path: string,
  peak: Peak,
  scratch: string,
): Promise<{ wrong: string[]; area: number }> {
  return inspect(path, scratch, async ({ grid, statistics }) => {
    const area = (grid.width * grid.height - statistics.empty) * grid.affine[1] ** 2;
    const checks: [boolean, string][] = [
      [statistics.maximum <= peak.depth, `it is ${statistics.maximum} m deep, the mesh ${peak.depth} m`],
      [
        statistics.minimum >= peak.least,
        `its least depth is ${statistics.minimum} m, that of the mesh ${peak.least} m`,
      ],
      [Math.abs(area / peak.area - 1) < 0.01, `${area} m² of it are under water, of the mesh ${peak.area}`],
    ];
    return { wrong: checks.filter(([holds]) => !holds).map(([, sentence]) => sentence), area };
  });
}

export function refuse(what: string, wrong: readonly string[]): void {
  if (wrong.length > 0) throw new Error(`The ${what} is wrong: ${wrong.join('; ')}.`);
}

interface Point {
  name: string;
  x: number;
  y: number;
}

/**
 * Compares series of the water depth with the elements that hold the points. Returns the differences, and when each
 * culminates.
 */
export async function seriesFaults(
  flood: Mesh,
  points: readonly Point[],
  path: string,
  scratch: string,
): Promise<{ wrong: string[]; peaks: string[] }> {
  const cells = cellsAt(flood, points);
  const steps = Array.from({ length: stepsOf(flood) }, (_, step) => step);
  const depths = await Promise.all(steps.map((step) => flood.values(floodItems.depth, step)));
  await using source = await FileSource.open(path, { checksum: false });
  const series = (await findReader('Dfs0Reader')!.read(source, {}, quietContext(scratch))) as Series;
  const found: number[][] = points.map(() => []);
  for await (const { values } of series.chunks())
    for (const [n, column] of values.entries()) found[n]?.push(...Array.from(column, Number));
  const wrong: string[] = [];
  const peaks = points.map(({ name }, n) => {
    const computed = depths.map((all) => all[cells[n]!]!);
    const step = computed.findIndex((value, k) => value !== found[n]![k]);
    if (step >= 0) wrong.push(`${name} has ${found[n]![step]} m at step ${step}, not ${computed[step]} m`);
    const highest = computed.indexOf(Math.max(...computed));
    return `${name} ${clockText(timeOf(flood.time!, highest)).slice(11, 16)}`;
  });
  return { wrong, peaks };
}
