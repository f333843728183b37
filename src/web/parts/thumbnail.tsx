import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

/** The least recently shown pictures go first. */
const KEPT = 300;
const pictures = new Map<string, string>();

/**
 * A small picture that loads when it comes into view; an icon until then, and where there is none.
 * @param id names the picture and its version: `${id} ${rowVersion}`
 * @param load reads the picture; undefined where there is none
 */
export function Thumbnail({
  id,
  icon,
  load,
}: {
  id: string;
  icon: IconName;
  load?: (() => Promise<Response>) | undefined;
}) {
  const [url, setUrl] = useState(pictures.get(id));
  const element = useRef<HTMLSpanElement>(null);
  const present = load !== undefined;
  useEffect(() => {
    if (!present || pictures.has(id)) return setUrl(pictures.get(id));
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      // a picture that cannot be read is none
      void keep(id, load).then(setUrl, () => {});
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [id, present]);
  return url === undefined ? (
    <span class="thumbnail" ref={element}>
      <Icon name={icon} />
    </span>
  ) : (
    <img class="thumbnail" src={url} alt="" />
  );
}

async function keep(id: string, load: () => Promise<Response>): Promise<string> {
  const url = URL.createObjectURL(await (await load()).blob());
  pictures.set(id, url);
  for (const [oldest, address] of pictures) {
    if (pictures.size <= KEPT) break;
    pictures.delete(oldest);
    URL.revokeObjectURL(address);
  }
  return url;
}
