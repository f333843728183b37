import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { ErrorState, Skeleton } from './states.tsx';

/**
 * A component whose code loads when it is shown for the first time. After a failure it loads again as soon as there is
 * a network, and when the reader asks for it.
 * @param alone it is the whole page
 */
export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>, { alone = false } = {}) {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P & JSX.IntrinsicAttributes) {
    const [, setLoaded] = useState(loaded !== undefined);
    const [failed, setFailed] = useState(false);
    async function attempt(): Promise<boolean> {
      try {
        loaded = (await load()).default;
      } catch {
        setFailed(true);
        return false;
      }
      setLoaded(true);
      setFailed(false);
      return true;
    }
    /** The code of a server that was upgraded has another address, which a new page knows. */
    async function attemptOrReload() {
      if (!(await attempt()) && navigator.onLine) window.location.reload();
    }
    useEffect(() => {
      if (loaded !== undefined) return;
      void attempt();
      const later = () => void attempt();
      window.addEventListener('online', later);
      return () => window.removeEventListener('online', later);
    }, []);
    if (failed) return <ErrorState error={new Error(texts.noCode)} again={attemptOrReload} alone={alone} />;
    const Content = loaded;
    return Content === undefined ? <Skeleton /> : <Content {...props} />;
  };
}
