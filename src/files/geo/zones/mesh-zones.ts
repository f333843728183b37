import type { Mesh } from '../../data/mesh.ts';
import { cellCount, nodeMeans } from '../../data/mesh-cells.ts';
import { footprints, layerCount, type MeshCells } from '../../data/mesh-columns.ts';
import { realValues } from '../../data/real-values.ts';
import type { ZoneStatistic } from './statistics.ts';
import type { ZoneElements } from './zone-elements.ts';
import { ZoneTally } from './zone-tally.ts';

/** Indices (from 0) of the values of one layer of a mesh. */
export interface MeshSlice {
  readonly item: number;
  readonly step: number;
  readonly layer: number;
}

/** The columns of a mesh as cells of a flat mesh: the footprint of the lowest cell of each. */
export function columnCells(mesh: Mesh): MeshCells {
  const flat = footprints(mesh);
  if (mesh.layers === undefined) return flat;
  const firsts = mesh.layers.columns.subarray(0, -1);
  const offsets = new Uint32Array(firsts.length + 1);
  for (const [n, first] of firsts.entries())
    offsets[n + 1] = offsets[n]! + flat.offsets[first + 1]! - flat.offsets[first]!;
  const connectivity = new Uint32Array(offsets.at(-1)!);
  for (const [n, first] of firsts.entries())
    connectivity.set(flat.connectivity.subarray(flat.offsets[first]!, flat.offsets[first + 1]!), offsets[n]!);
  return { shapes: Uint8Array.from(firsts, (first) => flat.shapes[first]!), connectivity, offsets };
}

/** Computes the statistics of zones over items, steps and layers of a mesh. */
export class MeshZones {
  readonly #mesh: Mesh;
  readonly #elements: ZoneElements;
  readonly #statistics: readonly ZoneStatistic[];
  readonly #layers: number;
  /** Values of the last item and step, which all layers share. */
  #last: { readonly item: number; readonly step: number; readonly values: Float64Array } | undefined;

  /** @param elements the columns (`columnCells`) in each zone */
  constructor(mesh: Mesh, elements: ZoneElements, statistics: readonly ZoneStatistic[]) {
    this.#mesh = mesh;
    this.#elements = elements;
    this.#statistics = statistics;
    this.#layers = mesh.layers === undefined ? 1 : layerCount(mesh.layers);
  }

  /** One number per zone and statistic, statistics of a zone side by side; NaN for none. */
  async slice({ item, step, layer }: MeshSlice): Promise<Float64Array> {
    if (this.#last?.item !== item || this.#last.step !== step)
      this.#last = { item, step, values: await this.#values(item, step) };
    const { values } = this.#last;
    const { starts, elements, areas } = this.#elements.taken();
    const tally = new ZoneTally(this.#elements.count, this.#statistics, this.#elements.weights);
    for (let zone = 0; zone < this.#elements.count; zone++) {
      for (let n = starts[zone]!; n < starts[zone + 1]!; n++) {
        const cell = this.#cellOf(elements[n]!, layer);
        if (cell !== undefined) tally.add(zone, values, cell, cell + 1, areas[n]!);
      }
      tally.finish(zone);
    }
    return tally.results();
  }

  /** The cell of a column in a layer. The top cells of all columns are in the last layer. */
  #cellOf(column: number, layer: number): number | undefined {
    if (this.#mesh.layers === undefined) return column;
    const { columns } = this.#mesh.layers;
    const cell = columns[column + 1]! - (this.#layers - layer);
    return cell < columns[column]! ? undefined : cell;
  }

  async #values(item: number, step: number): Promise<Float64Array> {
    const described = this.#mesh.items[item]!;
    const given = await this.#mesh.values(item, step);
    const inCells = described.location === 'node' ? nodeMeans(this.#mesh, given, described) : given;
    return realValues(inCells.subarray(0, cellCount(this.#mesh)), described);
  }
}
