import { to } from '../client/address.ts';
import { Icon } from '../parts/icons.tsx';
import { uploadTexts as words } from '../texts/upload.ts';
import { isSending, uploads } from '../uploads/state.ts';

/** In the bar while files are sent: they go on on every page. */
export function UploadIndicator() {
  const active = uploads.value.filter(isSending);
  const interrupted = uploads.value.filter(({ state }) => state === 'needsFile');
  if (active.length === 0 && interrupted.length === 0) return null;
  const size = active.reduce((sum, one) => sum + one.size, 0);
  const done = active.reduce((sum, one) => sum + one.done, 0);
  const text =
    active.length > 0
      ? words.uploading(Math.floor((100 * done) / Math.max(1, size)))
      : words.interrupted(interrupted.length);
  const project = (active[0] ?? interrupted[0])!.projectId;
  return (
    <a class="upload-indicator" href={to(`/upload?project=${project}`)} title={text}>
      <Icon name={active.length > 0 ? 'upload' : 'warning'} />
      <span class="wide-only">{text}</span>
      <span class="visually-hidden narrow-only">{text}</span>
    </a>
  );
}
