import test from 'ava';
import { sendAccountMail } from '../../src/accounts/send-mail.ts';
import { consoleTests, expectAccessible } from '../world/console.ts';
import { PASSWORD, world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);

pages.test('whoever opens the link of an invitation signs in, accepts, and is in the project', async (t) => {
  const tenantId = await w.tenant();
  const [owner, ann] = [await w.account({ tenantId, role: 'Owner' }), await w.account({ tenantId })];
  const { body: project } = await w.as(owner).post('/api/metadata/project', { name: 'Upper valley' });
  const email = 'ann-of-the-console@example.org';
  await w.as(owner).post(`/api/metadata/project/${project.id}/invitation`, { email, role: 'Reader' });
  const [waiting] = await w.sql<{ id: string }>('select id from account_mails where recipient = $1', [email]);
  const sent: { text: string }[] = [];
  const mailer = { send: async (mail: { text: string }) => void sent.push(mail) };
  await sendAccountMail({ db: w.db, mailer, settings: w.config, log: console }, waiting!.id);
  const [link = ''] = /\/signin\?invitation=\S+/.exec(sent[0]!.text) ?? [];

  const page = await pages.open(link);
  await page.see('heading', 'Sign in');
  await page.fill('Login id', ann.id);
  await page.fill('Password', PASSWORD);
  await page.click('button', 'Sign in');
  await page.see('heading', 'An invitation');
  await expectAccessible(t, page);
  await page.click('button', 'Accept');
  await page.see('heading', 'Upper valley');

  // the browser is signed in
  const again = await pages.open(link);
  await again.click('button', 'Accept');
  await again.see('alert', /accepted/);
  for (const { tab } of [page, again]) await tab.close();
});
