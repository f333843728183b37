import type { CreditForecast } from '../../../client/api.ts';
import { formatNumber, formatTime, parseTime } from '../../../client/format.ts';
import { creditTexts as words } from '../../../texts/credits.ts';

interface Point {
  time: number;
  credits: number;
}

const WIDTH = 400;
const HEIGHT = 120;
/** A pool without spending is drawn this far, and a slow one no farther. */
const LONGEST_MS = 2 * 366 * 86_400_000;
const DAY_MS = 86_400_000;

/**
 * Available credits from now on: they fall at the pace of the last days, the earliest expiry is spent first, and what
 * is left of it then is lost at once.
 */
export function ForecastChart({ forecast }: { forecast: CreditForecast }) {
  const now = Date.now();
  const points = courseOf(forecast, now);
  const unspent = forecast.expiring.reduce((sum, one) => sum + one.unspent, 0);
  const last = points.at(-1)!.time;
  const sentences =
    forecast.available === 0
      ? [words.nothingLeft]
      : [
          forecast.spentPerDay === 0
            ? words.notSpent
            : forecast.lastsUntil && words.lasts(formatTime(forecast.lastsUntil)),
          unspent > 0 && words.unspent(unspent),
        ];
  const text = sentences.filter(Boolean).join(' ');
  const x = ({ time }: Point) => (WIDTH * (time - now)) / Math.max(1, last - now);
  const y = ({ credits }: Point) => HEIGHT - 4 - ((HEIGHT - 8) * credits) / Math.max(1, forecast.available);
  const line = points.map((point) => `${x(point).toFixed(1)},${y(point).toFixed(1)}`).join(' ');
  return (
    <div class="forecast">
      {forecast.available > 0 && (
        <>
          <div class="small quiet">{formatNumber(forecast.available)}</div>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${words.chart}. ${text}`}
          >
            <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
            <polyline points={line} />
          </svg>
          <div class="row between small quiet">
            <span>{formatTime(new Date(now).toISOString())}</span>
            <span>{formatTime(new Date(last).toISOString())}</span>
          </div>
        </>
      )}
      <p>{text}</p>
    </div>
  );
}

function courseOf({ available, spentPerDay, expiring }: CreditForecast, now: number): Point[] {
  const points: Point[] = [{ time: now, credits: available }];
  let left = available;
  let at = now;
  for (const { expiresAt, credits, unspent } of expiring) {
    const end = Math.min(parseTime(expiresAt).getTime(), now + LONGEST_MS);
    left -= credits - unspent;
    // the lot is used up before it expires, or what is left of it is lost then
    at = unspent > 0 || spentPerDay === 0 ? Math.max(at, end) : at + (credits / spentPerDay) * DAY_MS;
    if (at > now + LONGEST_MS) at = now + LONGEST_MS;
    points.push({ time: at, credits: Math.max(0, left) });
    left -= unspent;
    if (unspent > 0) points.push({ time: at, credits: Math.max(0, left) });
  }
  return points;
}
