import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { mapTexts as words } from '../../texts/map.ts';

interface SheetProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * Settings of the map: a card over it, on a phone a sheet from below that leaves the map in sight and in use. Its
 * heading gets the focus; Escape closes it, and what had the focus before gets it back.
 */
export function MapSheet({ title, onClose, children }: SheetProps) {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const sheet = element.current!;
    const before = document.activeElement;
    sheet.querySelector('h2')!.focus({ preventScroll: true });
    return () => {
      if (!sheet.contains(document.activeElement)) return;
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <section
      ref={element}
      class="map-card map-sheet"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h2 tabIndex={-1}>{title}</h2>
        <Button kind="ghost" small icon="cross" label={words.close} onClick={onClose} />
      </header>
      <div class="stack">{children}</div>
    </section>
  );
}
