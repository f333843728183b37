import type { ComponentChildren } from 'preact';
import { to } from '../client/address.ts';
import { texts } from '../texts.ts';
import { Icon } from './icons.tsx';
import { useTitle } from './page-head.tsx';

/** A page for readers without a session: one card in the middle. */
export function AloneCard({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useTitle(title);
  return (
    <main class="alone">
      <a class="brand" href={to('/')} aria-label={texts.product}>
        <span>
          <Icon name="wave" />
        </span>
        <span>{texts.product}</span>
      </a>
      <section class="card stack">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </section>
    </main>
  );
}
