import { to } from '../client/address.ts';
import { ButtonLink } from '../parts/button.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { texts } from '../texts.ts';

export const NotFound = () => (
  <>
    <PageHead title={texts.notFound}>{texts.notFoundWhy}</PageHead>
    <ButtonLink kind="main" href={to('/projects')}>
      {texts.toProjects}
    </ButtonLink>
  </>
);
