import type { InspectedWriter, Inspection } from '../client/api.ts';
import type { Choice } from './kept.ts';

/** Something to make of a file. */
export interface Proposal {
  readonly kind: 'store' | 'bytes' | 'other';
  readonly readerName: string;
  readonly writer: InspectedWriter;
}

/** Their datasets are queried by value. */
const STORES = ['MDWriter', 'GISWriter', 'TSWriter'];
const BYTES: InspectedWriter = { name: 'FileWriter', format: 'file', keeps: [], loses: [] };
export const AS_IT_IS: Choice = { readerName: 'FileReader', writerName: 'FileWriter', reader: {}, writer: {} };

/** What can be made of a file, by what is known of it: values, the file as it is, and other formats. */
export function proposalsOf(inspection: Inspection | undefined): Proposal[] {
  const bytes: Proposal = { kind: 'bytes', readerName: 'FileReader', writer: BYTES };
  const { reader, writers = [], kind } = inspection ?? {};
  if (reader === undefined || kind === 'bytes') return [bytes];
  const possible = writers.filter(({ refuses, name }) => refuses === undefined && name !== 'FileWriter');
  const of = (kind: 'store' | 'other', list: readonly InspectedWriter[]): Proposal[] =>
    list.map((writer) => ({ kind, readerName: reader, writer }));
  return [
    ...of(
      'store',
      possible.filter(({ name }) => STORES.includes(name)),
    ),
    bytes,
    ...of(
      'other',
      possible.filter(({ name }) => !STORES.includes(name)),
    ),
  ];
}

/** Values where nothing is lost, else the file as it is; nothing while the start of the file does not tell. */
export function firstChoice(inspection: Inspection): Choice | undefined {
  if (inspection.writers === undefined) return undefined;
  const [first] = proposalsOf(inspection);
  if (first === undefined || first.kind !== 'store' || first.writer.loses.length > 0) return AS_IT_IS;
  return { readerName: first.readerName, writerName: first.writer.name, reader: {}, writer: {} };
}
