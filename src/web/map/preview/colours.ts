import { colourOf, rampOf } from '../ramp.ts';

/** Colours spread evenly from the least to the greatest value, or to its logarithm. */
export interface Colours {
  readonly colors: readonly string[];
  readonly min: number;
  readonly max: number;
  readonly log: boolean;
  /** Classes of one colour each. */
  readonly steps?: number | undefined;
}

/** Places of the colours of a table. */
const SIZE = 1024;

/** The value at a place from 0 to 1. */
export function valueAtPlace({ min, max, log }: Colours, place: number): number {
  return log && min > 0 ? min * (max / min) ** place : min + (max - min) * place;
}

/** The classes have the colours at even distances, the first and the last ones included. */
const inClass = (place: number, steps: number | undefined): number =>
  steps === undefined ? place : Math.min(steps - 1, Math.floor(place * steps)) / Math.max(1, steps - 1);

/** The colours with their places, for what draws lines between them. */
export const placedColours = ({ colors }: Colours): [place: number, colour: string][] =>
  colors.map((colour, n) => [n / (colors.length - 1), colour]);

/** The colour of a place, for CSS. */
export function cssAt({ colors, steps }: Colours, place: number): string {
  const [red, green, blue, alpha] = colourOf(rampOf(0, 1, colors), inClass(place, steps));
  return `rgb(${red} ${green} ${blue} / ${(alpha / 255).toFixed(3)})`;
}

/** Paints values with colours; NaN stays transparent. */
export class Painter {
  readonly #table = new Uint32Array(SIZE);
  readonly #colours: Colours;

  constructor(colours: Colours) {
    this.#colours = colours;
    const ramp = rampOf(0, 1, colours.colors);
    for (let n = 0; n < SIZE; n++) {
      const [red, green, blue, alpha] = colourOf(ramp, inClass(n / (SIZE - 1), colours.steps));
      this.#table[n] = ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    }
  }

  paint(values: Float32Array): Promise<ImageBitmap> {
    const side = Math.round(Math.sqrt(values.length));
    const image = new ImageData(side, side);
    const pixels = new Uint32Array(image.data.buffer);
    const { min, max, log } = this.#colours;
    const isLog = log && min > 0;
    const low = isLog ? Math.log(min) : min;
    const factor = (SIZE - 1) / ((isLog ? Math.log(max) : max) - low);
    for (let n = 0; n < values.length; n++) {
      const value = values[n]!;
      if (Number.isNaN(value)) continue;
      const at = Math.round(((isLog ? Math.log(Math.max(value, Number.MIN_VALUE)) : value) - low) * factor);
      pixels[n] = this.#table[at < 0 ? 0 : at >= SIZE ? SIZE - 1 : at]!;
    }
    return createImageBitmap(image);
  }
}
