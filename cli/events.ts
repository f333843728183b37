import { moment, plain } from 'hydrofiles/terminal';
import type { CloudEvent } from '../src/events/cloud-event.ts';

export const EVENTS = '/api/eventing/event/list';

/** `svc.platform.events.transferstartedevent` → `transferstarted`. */
export const shortEventType = (type: string) => type.replace(/^svc\.platform\.events\.(\w+)event$/, '$1');

/** Expands a short type such as `transferfinished`. */
export const longEventType = (type: string) => (type.includes('.') ? type : `svc.platform.events.${type}event`);

/** The change of the resource, in a word or a sentence. */
export const about = ({ data }: CloudEvent): string | undefined =>
  data.ErrorMessage ?? data.Status ?? data.Name ?? data.Change?.join(', ');

/** A line about an event of a stream, with its offset. */
export const eventLine = (offset: string, event: CloudEvent): string =>
  [offset, moment(event.time), shortEventType(event.type), event.resourceid, about(event)]
    .filter((cell) => cell !== undefined)
    .map(plain)
    .join('  ');
