import { auditTexts as words } from '../../texts/audit.ts';
import { AuditTrail } from '../admin/audit/trail.tsx';
import { ForOwners } from './frame.tsx';

export default function AuditPage() {
  return (
    <ForOwners title={words.title}>{({ id }) => <AuditTrail tenantId={id} about={words.aboutTenant} />}</ForOwners>
  );
}
