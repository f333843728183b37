import { chosenSteps, type Grid, type Indices, type Mesh, type MultiArray, type StoredValues } from 'hydrofiles/data';
import type { Coverage } from '../coverage.ts';
import type { OpenDataset } from '../stores.ts';

/** Data without the functions that read them; a thread adds them. */
export type StoredData =
  | Omit<Grid, 'rows' | 'read' | 'origin'>
  | Omit<Mesh, 'values' | 'heights' | 'origin'>
  | Omit<MultiArray, 'read' | 'origin'>;

/** Indices of the nodes and cells of a mesh that have values, rising; absent: no item has values there. */
export interface ChosenPlaces {
  readonly node?: Uint32Array | undefined;
  readonly cell?: Uint32Array | undefined;
}

/** Data of an answer, as a thread gets them. */
export interface DataInput {
  readonly data: StoredData;
  /** Of a mesh of which a part is written. */
  readonly chosen?: ChosenPlaces;
  /** Values of each item, step by step, with the name of the item. */
  readonly values: readonly { readonly name: string; readonly values: StoredValues }[];
  readonly lost: readonly string[];
}

/** The chosen steps of the times, as numbers. */
const numbersOf = (indices: Indices): number[] =>
  indices instanceof Uint32Array ? [...indices] : Array.from({ length: indices.length }, (_, n) => indices.first + n);

export const timeOfAnswer = ({ data: { time } }: OpenDataset, coverages: readonly Coverage[]): Pick<Grid, 'time'> => {
  const steps = coverages.find((one) => one.steps !== undefined)?.steps;
  return time === undefined || steps === undefined ? {} : { time: chosenSteps(time, numbersOf(steps)) };
};
