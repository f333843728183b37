interface Changes {
  /** Names of changed members. */
  changed?: readonly string[];
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** Changes, such as `role: Reader → Owner`; for entries without changes their details, such as `name=Valley`. */
export function changesIn(details: Changes & Record<string, unknown>): string {
  const { changed, before = {}, after = {}, ...others } = details;
  const parts = (changed ?? []).map((name) =>
    name in before || name in after ? `${name}: ${shown(before[name])} → ${shown(after[name])}` : name,
  );
  const rest = Object.entries(others).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  return [...parts, ...rest.map(([name, value]) => `${name}=${shown(value)}`)].join(', ');
}

const MAX_SHOWN = 60;

function shown(value: unknown): string {
  if (value === undefined) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
