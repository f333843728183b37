import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorState, Skeleton } from './states.tsx';

/** A component whose code loads when it is shown for the first time. */
export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>) {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P & JSX.IntrinsicAttributes) {
    const [, setLoaded] = useState(loaded !== undefined);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then((module) => {
        loaded = module.default;
        setLoaded(true);
      }, setError);
    }, []);
    if (error !== undefined) return <ErrorState error={error} again={() => window.location.reload()} />;
    const Content = loaded;
    return Content === undefined ? <Skeleton /> : <Content {...props} />;
  };
}
