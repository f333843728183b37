const STAMP = /^(\d{4,6}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Labels of time stamps, on the clock of the data: no more digits than tell all of them apart from a whole unit. */
export function timeLabels(stamps: readonly string[]): string[] {
  const parts = stamps.map((stamp) => STAMP.exec(stamp));
  if (parts.some((part) => part === null)) return [...stamps];
  const known = parts as RegExpExecArray[];
  const fraction = known.some(([, , , , digits]) => Number(digits ?? 0) !== 0);
  const seconds = fraction || known.some(([, , , second]) => Number(second ?? 0) !== 0);
  const times = seconds || known.some(([, , time]) => time !== undefined && time !== '00:00');
  return known.map(([, date = '', time = '00:00', second = '00', digits = '', zone = '']) => {
    if (!times) return date;
    const rest = seconds ? `:${second}${fraction ? `.${digits.padEnd(3, '0').slice(0, 3)}` : ''}` : '';
    return `${date} ${time}${rest}${zone === 'Z' ? ' UTC' : zone}`;
  });
}

/** Milliseconds of a time stamp without regard to zones, for axes; undefined for text of another form. */
export function parseStamp(stamp: string): number | undefined {
  const [, date, time = '00:00', second = '00', digits = '0'] = STAMP.exec(stamp) ?? [];
  if (date === undefined) return undefined;
  const whole = Date.parse(`${date.length > 10 ? `+${date.padStart(12, '0')}` : date}T${time}:${second}Z`);
  return Number.isNaN(whole) ? undefined : whole + Number(`0.${digits}`) * 1000;
}

/** The step whose time is nearest to the one given; undefined if there is none. */
export function nearestStep(stamps: readonly string[], milliseconds: number): number | undefined {
  let [best, distance] = [-1, Infinity];
  stamps.forEach((stamp, step) => {
    const own = Math.abs((parseStamp(stamp) ?? Number.NaN) - milliseconds);
    if (own < distance) [best, distance] = [step, own];
  });
  return best < 0 ? undefined : best;
}
