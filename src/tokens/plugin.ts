import type { Config } from '../config.ts';
import type { App } from '../http/route.ts';
import { accountChangeRoutes } from './account.routes.ts';
import type { ChangeParts } from './change-account.ts';
import { familyRoutes } from './families.routes.ts';
import type { Identities } from './identities.ts';
import { tokenKeyRoutes } from './keys.routes.ts';
import { otpRoutes } from './otp.routes.ts';
import { passwordPageRoutes } from './password-page.routes.ts';
import { tokenRoutes } from './routes.ts';
import { secondFactorRoutes } from './second-factor.routes.ts';
import { sessionRoutes } from './session.routes.ts';
import type { TokenParts } from './token-pair.ts';

export interface TokensOptions extends ChangeParts, TokenParts {
  db: ChangeParts['db'];
  identities: Identities;
  settings: TokenParts['settings'] & Pick<Config, 'twoFactor.issuer' | 'publicUrl'>;
}

export async function tokensPlugin(app: App, { tokens, identities, settings, ...login }: TokensOptions) {
  await app.register(accountChangeRoutes, login);
  await app.register(passwordPageRoutes, login);
  await app.register(tokenRoutes, { ...login, tokens, identities, settings });
  await app.register(sessionRoutes, { ...login, tokens, settings, publicUrl: settings.publicUrl });
  await app.register(tokenKeyRoutes, { keys: tokens.keys });
  await app.register(familyRoutes, { db: login.db });
  await app.register(secondFactorRoutes, login);
  await app.register(otpRoutes, { ...login, tokens, identities, otpIssuer: settings['twoFactor.issuer'] });
}
