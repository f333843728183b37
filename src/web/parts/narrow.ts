import { useEffect, useState } from 'preact/hooks';

const query = matchMedia('(width <= 640px)');

/** Whether the window is as narrow as a phone, as in the style sheets. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const change = () => setNarrow(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return narrow;
}
