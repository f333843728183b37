import { z } from 'zod';
import { type App, Routes } from '../http/route.ts';
import { flag, number, text, textUpTo } from '../http/rules/members.ts';
import { originOf } from '../http/rules/origin.ts';
import { contact, Email, NewPassword, Text } from './account.ts';
import { activateByToken, type RegisterParts, register, requestPasswordReset } from './register.ts';

const Token = z.object({ token: textUpTo(1000, 'Token of the mail.') });

/** Registration, activation and password reset. Answers do not reveal whether an account exists. */
export async function registrationRoutes(app: App, parts: RegisterParts) {
  const routes = new Routes(app, { access: 'public', service: 'accounts' });
  routes.post('/api/accounts/registration', {
    operationId: 'registerAccount',
    summary: 'Registers an account and sends a mail to activate it',
    description: 'If the login id exists, the answer is the same, no account is created, and the mail says so.',
    body: z.object({
      id: text('Login id, in any letter case.', 'ann'),
      name: Text.meta({ description: 'Name of the person.', example: 'Ann Example' }),
      email: Email.meta({ description: 'E-mail address of the person.', example: 'ann@example.org' }),
      password: NewPassword.meta({ description: 'First password of the account.', example: 'Seven-bends-9' }),
      company: contact.company,
      phoneNumber: contact.phoneNumber,
    }),
    response: { 202: z.undefined() },
    handler: async (request) => {
      await register(parts, request.body, originOf(request));
      return;
    },
  });

  routes.put('/api/accounts/activation', {
    operationId: 'activateAccount',
    summary: 'Activates a registered account with the token of its mail',
    querystring: Token,
    response: { 204: z.null() },
    handler: (request) => activateByToken(parts, request.query.token, originOf(request)),
  });

  routes.post('/api/accounts/passwordreset', {
    operationId: 'requestPasswordReset',
    summary: 'Sends a mail to set a new password',
    description: 'The body is a login id or an e-mail address. The answer is the same if no account has it.',
    body: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .meta({ description: 'Login id or e-mail address.', example: 'ann@example.org' }),
    response: { 202: z.undefined() },
    handler: async (request) => {
      await requestPasswordReset(parts, request.body, originOf(request));
      return;
    },
  });

  routes.get('/api/accounts/passwordpolicy', {
    operationId: 'getPasswordPolicy',
    summary: 'Returns the requirements for new passwords',
    response: {
      200: z.object({
        requiredLength: number('Minimum number of characters.'),
        requiredUniqueChars: number('Minimum number of different characters.'),
        requireNonAlphanumeric: flag('Whether a character other than a letter or digit is required.'),
        requireLowercase: flag('Whether a lower-case letter is required.'),
        requireUppercase: flag('Whether an upper-case letter is required.'),
        requireDigit: flag('Whether a digit is required.'),
      }),
    },
    handler: async () => parts.rules.policy,
  });
}
