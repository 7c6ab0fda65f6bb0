import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';

/** Connects the org "acme" to an emulated code host with the repo `acme/shop`. */
export async function connectShop() {
  const shop = await startShopFixture();
  const credentials = { appId: String(shop.app.id), privateKey: shop.app.pem, account: 'acme', version: '1' };
  const { apiUrl, userToken } = shop.codehost;
  const codehost = octokitCodehost({ apiUrl, findCredentials: async () => credentials, throttle: false });
  const requestAsUser = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `token ${userToken}` };
    const response = await fetch(`${apiUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  return { shop, codehost, host: await codehost.forOrg('acme'), requestAsUser };
}
