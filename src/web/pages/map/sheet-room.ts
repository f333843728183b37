import { useLayoutEffect, useRef } from 'preact/hooks';

/** Brings the map to the top of the window when a sheet opens over the lower half: both are seen then. */
export function useSheetRoom(open: boolean) {
  const frame = useRef<HTMLDivElement>(null);
  const before = useRef(open);
  useLayoutEffect(() => {
    if (open && !before.current) frame.current?.scrollIntoView({ block: 'start' });
    before.current = open;
  }, [open]);
  return frame;
}
