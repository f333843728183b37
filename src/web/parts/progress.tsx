import type { ComponentChildren } from 'preact';

/**
 * How far something is.
 * @param value from 0 to 1; undefined: it is not known
 */
export function Progress({
  value,
  label,
  kind,
  children,
}: {
  value?: number | undefined;
  label: string;
  kind?: 'ok' | 'bad';
  /** Words below the bar. */
  children?: ComponentChildren;
}) {
  const percent = value === undefined ? undefined : Math.round(100 * Math.min(1, Math.max(0, value)));
  const name = ['progress', kind, percent === undefined && 'unknown'].filter(Boolean).join(' ');
  return (
    <div>
      <div
        class={name}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <i style={percent === undefined ? {} : { width: `${percent}%` }} />
      </div>
      {children && <div class="small quiet">{children}</div>}
    </div>
  );
}
