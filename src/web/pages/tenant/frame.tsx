import type { ComponentChildren } from 'preact';
import type { MyTenant } from '../../client/api.ts';
import { useOwners } from '../../client/owners.ts';
import { tenant } from '../../client/session.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { NoRight } from '../../parts/states.tsx';
import { tenantTexts as words } from '../../texts/tenant.ts';
import { texts } from '../../texts.ts';

/** A page for Owners of the chosen tenant; others read which right they lack. */
export function ForOwners({ title, children }: { title: string; children: (own: MyTenant) => ComponentChildren }) {
  const own = tenant.value;
  // another tenant is another page: nothing that was typed or opened stays
  if (own?.role === 'Owner') return <div key={own.id}>{children(own)}</div>;
  return <OwnersOnly title={title} name={own?.name ?? texts.shell.tenant} />;
}

function OwnersOnly({ title, name }: { title: string; name: string }) {
  const owners = useOwners();
  return (
    <>
      <PageHead title={title} />
      <section class="card">
        <NoRight title={words.ownersOnly}>{words.ownersOnlyWhy(name, owners)}</NoRight>
      </section>
    </>
  );
}
