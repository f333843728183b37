import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Glyph, WoffFont } from './woff.ts';

export type Weight = 'regular' | 'bold';

const folder = join(dirname(fileURLToPath(import.meta.resolve('@fontsource/open-sans/package.json'))), 'files');
const weights: Readonly<Record<Weight, string>> = { regular: '400', bold: '600' };
/** Parts of Open Sans, the most common first. */
const subsets = [
  'latin',
  'latin-ext',
  'greek',
  'cyrillic',
  'math',
  'vietnamese',
  'cyrillic-ext',
  'greek-ext',
  'symbols',
  'hebrew',
];
const opened = new Map<string, WoffFont>();

/** The fonts of a weight, loaded on first use. */
function* fontsOf(weight: Weight): Generator<WoffFont> {
  for (const subset of subsets) {
    const name = `open-sans-${subset}-${weights[weight]}-normal.woff`;
    const font = opened.get(name) ?? new WoffFont(readFileSync(join(folder, name)));
    opened.set(name, font);
    yield font;
  }
}

/** A narrow blank between groups of digits. */
export const thinSpace = '\u2009';
const thin: Glyph = { advance: 0.16, outlines: [] };

/** The glyphs of a text, one for each character; a question mark for those that the font does not have. */
export function glyphsOf(text: string, weight: Weight): Glyph[] {
  const find = (character: string) => {
    for (const font of fontsOf(weight)) {
      const glyph = font.glyph(character.codePointAt(0)!);
      if (glyph !== undefined) return glyph;
    }
    return undefined;
  };
  return [...text.normalize('NFC').replace(/\s/g, (blank) => (blank === thinSpace ? blank : ' '))].map((character) =>
    character === thinSpace ? thin : (find(character) ?? find('?')!),
  );
}

/** Width of a text in pixels. */
export const textWidth = (text: string, size: number, weight: Weight = 'regular'): number =>
  size * glyphsOf(text, weight).reduce((sum, { advance }) => sum + advance, 0);

/** Truncates a text to a width, with … at the cut. */
export function truncated(text: string, width: number, size: number, weight: Weight = 'regular'): string {
  if (textWidth(text, size, weight) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && textWidth(`${characters.join('')}…`, size, weight) > width) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}
