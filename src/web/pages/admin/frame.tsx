import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { isAdministrator } from '../../app/navigation.tsx';
import { formatNumber } from '../../client/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { NoRight } from '../../parts/states.tsx';
import { adminTexts as words } from '../../texts/admin.ts';

/** A page for administrators; others read which right they lack. */
export function ForAdministrators({ title, children }: { title: string; children: () => ComponentChildren }) {
  if (isAdministrator()) return <>{children()}</>;
  return (
    <>
      <PageHead title={title} />
      <section class="card">
        <NoRight title={words.administratorsOnly}>{words.administratorsOnlyWhy}</NoRight>
      </section>
    </>
  );
}

/** Asks again every few seconds while the page is in view: no event tells of the queue of all tenants. */
export function useEvery(ms: number, ...queries: { again(): void }[]): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') for (const query of queries) query.again();
    }, ms);
    return () => clearInterval(timer);
  });
}

/** A number of a `<dl class="figures">`. */
export function Figure({
  name,
  value,
  more,
  bad = false,
}: {
  name: string;
  value: number;
  more: string;
  bad?: boolean;
}) {
  return (
    <div class="card">
      <dt>{name}</dt>
      <dd class={bad ? 'figure bad' : 'figure'}>{formatNumber(value)}</dd>
      <dd class="small quiet">{more}</dd>
    </div>
  );
}
