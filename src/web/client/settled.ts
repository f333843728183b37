import { useEffect, useState } from 'preact/hooks';

const SETTLED_MS = 400;

/** A text, once it has not changed for a moment: what is typed does not ask at each key. */
export function useSettled<T extends string | undefined>(text: T): T {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
