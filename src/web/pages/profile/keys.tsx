import { to } from '../../client/address.ts';
import { useOwners } from '../../client/owners.ts';
import { tenant } from '../../client/session.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { profileTexts as words } from '../../texts/profile.ts';
import { keyTexts } from '../../texts/tenant.ts';

/** Keys are those of a tenant: Owners are led to them, others read who gives one. */
export function KeysCard() {
  const own = tenant.value;
  return (
    <section class="card padded stack" aria-labelledby="keys">
      <h2 id="keys">{keyTexts.title}</h2>
      <p class="quiet">{words.keysHint}</p>
      {own === undefined ? (
        <p>{words.keysWithoutTenant}</p>
      ) : own.role === 'Owner' ? (
        <div>
          <ButtonLink icon="key" href={to('/tenant/keys')}>
            {words.keysOf(own.name)}
          </ButtonLink>
        </div>
      ) : (
        <ByOwners name={own.name} />
      )}
    </section>
  );
}

const ByOwners = ({ name }: { name: string }) => <p>{words.keysByOwners(name, useOwners())}</p>;
