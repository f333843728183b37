/**
 * Names a device by its User-Agent (RFC 9110, 10.1.5): browser and system, as `Firefox on Windows`, or the program that
 * stands first, as `curl 8.5.0`. Undefined without a User-Agent.
 */
export async function deviceOf(agent: string | undefined): Promise<string | undefined> {
  if (!agent) return undefined;
  // all browsers call themselves Mozilla
  if (!agent.startsWith('Mozilla/')) return agent.split(' ', 1)[0]?.replace('/', ' ');
  const { default: bowser } = await import('bowser');
  const { browser, os } = bowser.parse(agent);
  const names = [browser.name, os.name].filter((name) => name);
  return names.length === 0 ? undefined : names.join(' on ');
}
