/** Numbers, sizes and times as the reader's locale writes them. */
const locale = typeof navigator === 'undefined' ? 'en' : navigator.language;
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const whole = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export const formatNumber = (value: number): string => number.format(value);

export function formatSize(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  const digits = value >= 100 || power === 0 ? 0 : 1;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)} ${UNITS[power]}`;
}

/** Times of the API are UTC without a zone. */
export const parseTime = (text: string): Date => new Date(/Z|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);

/** `just now`, `5 minutes ago`, `10:12`, `20 Nov`, `20 Nov 2024`: as short as it is clear. */
export function formatTime(text: string, now = new Date()): string {
  const time = parseTime(text);
  const seconds = (time.getTime() - now.getTime()) / 1000;
  if (Math.abs(seconds) < 45) return relative.format(0, 'second');
  if (Math.abs(seconds) < 3600) return relative.format(Math.round(seconds / 60), 'minute');
  if (time.toDateString() === now.toDateString()) return clock.format(time);
  return (time.getFullYear() === now.getFullYear() ? dayOfYear : day).format(time);
}

/** For titles and for what must be exact. */
export const formatWholeTime = (text: string): string => whole.format(parseTime(text));

/** `0:41`, `2:05:00`. */
export function formatDuration(seconds: number): string {
  const total = Math.round(seconds);
  const parts = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** `1 dataset`, `1,204 datasets`. */
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

/** `1.0.0, c38fbafb` */
export const formatBuild = ({ version, commit }: { version: string; commit?: string | undefined }): string =>
  [version, commit?.slice(0, 8)].filter(Boolean).join(', ');
