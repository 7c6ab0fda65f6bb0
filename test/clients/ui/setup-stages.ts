import { rootUser } from '../../support/platform/test-platform.ts';
import type { Walk } from './first-day.ts';
import { button, inDialog, link, waitMs } from './hands.ts';
import {
  createIssue,
  createOrg,
  createProduct,
  createRootUser,
  metricsStep,
  openPrintedLink,
  skipMetrics,
  startChange,
} from './setup-parts.ts';

/** A part of the way to the first Change. Elements are selectors of puppeteer. */
export type Stage = {
  name: string;
  act: (walk: Walk) => Promise<void>;
  /** The button that sends again what was typed, in a tab that stayed open. */
  repeat: string;
  /** Opens the page again, as a person does who has closed it; absent if the tab always stays open. */
  open?: (walk: Walk) => Promise<void>;
  /** Is shown while the stage is not done. */
  own: string;
  /** Leads on from the page when it is opened again after the stage was done. */
  onward?: string;
  /** One of these is shown once the stage is done; `press` leads on from there. */
  next: { see: string; press?: true }[];
  /** The requests during which the platform can be killed, as method and path. */
  requests: RegExp[];
};

export async function choosePlatformDomain({ hand, see }: Walk): Promise<void> {
  await hand.fill('main input', 'apps.localhost');
  await hand.press(button('Check these settings'));
  await see(button('Save these settings'));
  await hand.press(button('Save these settings'));
}

export const chooseProvider =
  ({ url }: { url: string }) =>
  async ({ hand }: Walk): Promise<void> => {
    await hand.press('nav a[href$="step=models"]');
    await hand.pick('main select', 'Compatible with OpenAI');
    await hand.fill('main input[required]:not([type=url])', 'own');
    await hand.fill('main input[type=url]', url);
    await hand.fill('main input[type=password]', 'sk-own');
    await hand.press(button('Test and save'));
  };

const openAt =
  (path: string) =>
  async ({ page, platform }: Walk): Promise<void> =>
    void (await page.goto(platform.url + path));

const openSetup = openAt('/setup');

/** The stages of the setup with everything that it offers. */
const listSetupStages = (model: { url: string }): Stage[] => [
  {
    name: 'root user',
    act: createRootUser,
    repeat: button('Create the root user'),
    open: openPrintedLink,
    own: button('Create the root user'),
    next: [{ see: button('Check these settings') }],
    requests: [/^POST .*\/setup\/root-user$/, /^POST .*\/auth\/sign-in$/],
  },
  {
    name: 'platform domain',
    act: choosePlatformDomain,
    repeat: 'main button[type=submit]',
    open: openSetup,
    own: button('Check these settings'),
    next: [{ see: button('Continue'), press: true }, { see: metricsStep }],
    requests: [/^POST .*\/installation\/check$/, /^PUT .*\/installation$/],
  },
  {
    name: 'metrics',
    act: skipMetrics,
    repeat: button('Skip'),
    open: openSetup,
    own: metricsStep,
    next: [{ see: button('Create the org') }],
    requests: [/^GET .*\/v1\/status$/],
  },
  {
    name: 'org',
    act: createOrg,
    repeat: button('Create the org'),
    // Steps before the org that were skipped are shown again until it exists.
    open: openAt('/setup?step=org'),
    own: button('Create the org'),
    onward: button('Continue'),
    next: [{ see: button('Connect the code host') }],
    requests: [/^POST .*\/v1\/orgs$/],
  },
  {
    name: 'code host',
    act: async ({ hand }) => await hand.press(button('Connect the code host')),
    repeat: button('Connect the code host'),
    open: openSetup,
    own: button('Connect the code host'),
    next: [
      { see: 'a ::-p-text(Continue the setup)', press: true },
      { see: button('Continue'), press: true },
      { see: 'a ::-p-text(Create a Product)' },
    ],
    requests: [/^POST .*\/codehost\/connect$/, /^POST .*\/settings\/apps\/new/, /^GET .*\/codehost\/callback/],
  },
  {
    name: 'model provider',
    act: chooseProvider(model),
    repeat: button('Test and save'),
    open: openAt('/setup?step=models'),
    own: 'h1 ::-p-text(Where do agents get their models?)',
    next: [{ see: button('Remove…') }],
    requests: [/^PUT .*\/model-provider$/],
  },
];

const shippingStages: Stage[] = [
  {
    name: 'Product',
    act: async (walk) => {
      await walk.hand.press('nav a[href$="step=product"]');
      await createProduct(walk);
    },
    repeat: button('Create the Product'),
    open: openSetup,
    own: 'a ::-p-text(Create a Product)',
    next: [{ see: 'h2 ::-p-text(This Product is being created)' }, { see: 'a ::-p-text(Open the board)' }],
    requests: [/^POST .*\/products$/, /^GET .*\/products\/fresh\/zones/],
  },
  {
    name: 'issue',
    act: createIssue,
    repeat: inDialog('Create the issue'),
    open: openAt('/acme/products/fresh/board'),
    own: 'main ::-p-text(No issue yet)',
    // A card behind an open dialog cannot be pressed.
    next: [
      { see: inDialog('Start a Change') },
      { see: 'main:not([aria-hidden=true] *, [aria-hidden=true]) a ::-p-text(Add a changelog)', press: true },
    ],
    requests: [/^POST .*\/issues$/],
  },
  {
    name: 'Change',
    act: startChange,
    repeat: button('Start the Change'),
    own: inDialog('Start a Change'),
    next: [{ see: 'h1 ::-p-text(Add a changelog)' }, { see: '[role=dialog] a[href*="/acme/changes/"]', press: true }],
    requests: [/^POST .*\/agentworkflowruns$/],
  },
];

export const listStages = (model: { url: string }): Stage[] => [...listSetupStages(model), ...shippingStages];

/** Waits for the first of several elements; returns its selector. */
export async function seeFirst({ page }: Walk, selectors: string[]): Promise<string> {
  const found = new AbortController();
  const waits = selectors.map(async (selector) => {
    await page.waitForSelector(selector, { visible: true, timeout: waitMs, signal: found.signal });
    return selector;
  });
  try {
    return await Promise.any(waits);
  } finally {
    found.abort();
    await Promise.allSettled(waits);
  }
}

export async function signIn({ hand }: Walk): Promise<void> {
  await hand.press(link('Sign in'));
  await hand.fill('input[name=email]', rootUser.email);
  await hand.fill('input[name=password]', rootUser.password);
  await hand.press(button('Sign in'));
}
