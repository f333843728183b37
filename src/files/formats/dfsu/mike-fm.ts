import { FormatError } from '../../errors.ts';
import type { DfsHeader } from '../io/dfs/header.ts';
import { offsetOfArray } from '../io/dfs/typed-array.ts';

/** Name of the custom block that makes a DFS file a DFSU. */
export const MIKE_FM = 'MIKE_FM';

/**
 * Data types of DFSU files: values in elements, at the nodes of a line of spectra, in the elements of an area of
 * spectra.
 */
export const dataTypes = { mesh: 2001, lineSpectra: 2002, areaSpectra: 2003 } as const;

/** The custom block, which describes the mesh. */
export interface MikeFm {
  readonly nodes: number;
  readonly elements: number;
  readonly dimension: number;
  /** 0: no layers. */
  readonly layers: number;
  readonly sigmaLayers: number;
  /** Absent: no spectra. One of the two numbers may be 0. */
  readonly spectrum?: { readonly frequencies: number; readonly directions: number };
}

/** @throws FormatError for a malformed block, or with impossible numbers */
export async function readMikeFm({ custom }: Pick<DfsHeader, 'custom'>): Promise<MikeFm> {
  const block = custom.find(({ name }) => name === MIKE_FM)!;
  const { type, count } = block.values;
  const at = offsetOfArray(block.values);
  if (type !== 'Int32' || count < 4 || count > 6)
    throw new FormatError(`The block MIKE_FM has ${count} ${type} numbers instead of 4 to 6 Int32.`, at);
  const numbers = Array.from(await block.values.load());
  if (numbers.some((number) => number < 0))
    throw new FormatError(`The block MIKE_FM has a negative number: ${numbers.join(', ')}.`, at);
  const [nodes, elements, dimension, layers, fifth = 0, sixth] = numbers as [
    number,
    number,
    number,
    number,
    number?,
    number?,
  ];
  if (dimension < 1 || dimension > 3) throw new FormatError(`The block MIKE_FM has the dimension ${dimension}.`, at);
  if (sixth !== undefined && layers > 0)
    throw new FormatError(`The block MIKE_FM has ${layers} layers and a spectrum, which no program writes.`, at);
  return {
    nodes,
    elements,
    dimension,
    layers,
    sigmaLayers: sixth === undefined ? fifth : 0,
    ...(sixth === undefined ? {} : { spectrum: { frequencies: fifth, directions: sixth } }),
  };
}

export const mikeFmNumbers = ({ nodes, elements, dimension, layers, sigmaLayers, spectrum }: MikeFm): Int32Array =>
  spectrum === undefined
    ? Int32Array.of(nodes, elements, dimension, layers, sigmaLayers)
    : Int32Array.of(nodes, elements, dimension, layers, spectrum.frequencies, spectrum.directions);
