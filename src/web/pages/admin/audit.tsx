import { auditTexts as words } from '../../texts/audit.ts';
import { AuditTrail } from './audit/trail.tsx';
import { ForAdministrators } from './frame.tsx';

export default function AuditPage() {
  return <ForAdministrators title={words.title}>{() => <AuditTrail about={words.about} />}</ForAdministrators>;
}
