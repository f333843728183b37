import { type Colours, cssAt, valueAtPlace } from '../../map/preview/colours.ts';
import type { PreviewMap } from '../../map/preview/preview-map.ts';
import { valueText } from '../../map/scale.ts';

interface Caption {
  title: string;
  /** Below the title: item, time. */
  lines: readonly string[];
  colours: Colours | undefined;
}

/** The map, or two beside each other, as it is shown with title, item, time and legend below it, as a PNG. */
export async function pictureOf(maps: readonly PreviewMap[], { title, lines, colours }: Caption): Promise<Blob> {
  const parts = await Promise.all(maps.map((map) => map.picture()));
  const unit = window.devicePixelRatio;
  const foot = 72 * unit;
  const canvas = document.createElement('canvas');
  const height = Math.max(...parts.map((part) => part.height));
  canvas.width = parts.reduce((width, part) => width + part.width, 0);
  canvas.height = height + foot;
  const context = canvas.getContext('2d')!;
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  let x = 0;
  for (const part of parts) {
    context.drawImage(part, x, 0);
    x += part.width;
  }
  const text = (words: string, left: number, y: number, size: number, weight = 400) => {
    context.font = `${weight} ${size * unit}px system-ui, sans-serif`;
    context.fillText(words, left, height + y * unit);
  };
  context.fillStyle = '#17262f';
  text(title, 12 * unit, 24, 15, 650);
  context.fillStyle = '#4d606c';
  for (const [n, line] of lines.entries()) text(line, 12 * unit, 44 + 18 * n, 12);
  if (colours !== undefined && colours.colors.length > 0) {
    const width = Math.min(220 * unit, canvas.width / 2);
    const left = canvas.width - width - 16 * unit;
    for (let n = 0; n < width; n++) {
      context.fillStyle = cssAt(colours, (n + 0.5) / width);
      context.fillRect(left + n, height + 14 * unit, 1, 14 * unit);
    }
    context.fillStyle = '#4d606c';
    for (const [place, align] of [
      [0, 'left'],
      [0.5, 'center'],
      [1, 'right'],
    ] as const) {
      context.textAlign = align;
      text(valueText(Number(valueAtPlace(colours, place).toPrecision(3))), left + place * width, 46, 12);
    }
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The browser made no picture.')) : resolve(blob))),
  );
}
