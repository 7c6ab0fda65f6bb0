import { z } from '@hono/zod-openapi';
import type { Issue } from '../../src/integrations/codehost/codehost.ts';
import { actionsFor, type Possibility } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import {
  OrganizationKind,
  ProductKind,
  ProductLogo,
  ProductSpec,
  ZoneSpec,
  ZoneStatus,
  type Organization,
  type Product,
} from '../../src/rules/catalog/kinds.ts';
import { logoDirections } from '../../src/rules/catalog/logo.ts';
import { Usage } from '../../src/rules/changes/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { ActionView, viewOf, viewSchema } from '../views.ts';

export const OrganizationView = viewSchema(OrganizationKind).openapi('Organization');
export const ProductView = viewSchema(ProductKind).openapi('Product');

const productActions: Possibility[] = [
  { name: 'startRun', needs: 'member' },
  { name: 'startRelease', needs: 'member' },
  { name: 'createIssue', needs: 'member' },
  { name: 'replaceProduct', needs: 'org-admin' },
  { name: 'putLogo', needs: 'org-admin' },
  { name: 'suggestLogos', needs: 'org-admin' },
  { name: 'deleteProduct', needs: 'org-admin' },
];

export const organizationView = (org: Organization, role: OrgRole | undefined) =>
  viewOf(
    org,
    org.metadata.name,
    actionsFor(role, [
      { name: 'createProduct', needs: 'org-admin' },
      { name: 'connectCodehost', needs: 'org-admin' },
      { name: 'putAgentLimits', needs: 'org-admin' },
    ]),
  );

export function productView(product: Product, role: OrgRole | undefined) {
  const { metadata, status } = product;
  const going = status?.deletion !== undefined || metadata.deletionTimestamp !== undefined;
  const hindrance = going ? 'The Product is being deleted.' : undefined;
  const actions = actionsFor(
    role,
    productActions.map((possibility) => ({ ...possibility, hindrance })),
  );
  return viewOf(product, metadata.namespace.slice(orgNamespace('').length), actions);
}

/** What a Product looks like to its creator: without `delivery` it gets the usual pair of zones. */
export const NewProductBody = z.strictObject({
  name: NameLabel,
  spec: ProductSpec.extend({ delivery: ProductSpec.shape.delivery.optional() }),
});

export const ZoneView = z
  .object({
    kind: z.literal('Zone'),
    name: z.string(),
    org: z.string(),
    product: z.string(),
    spec: ZoneSpec,
    status: ZoneStatus,
    resourceVersion: z.string(),
    generation: z.int(),
    createdAt: z.string(),
    actions: z.array(ActionView),
  })
  .openapi('Zone');

export const LogoView = z.object(ProductLogo.shape).openapi('Logo');
export const PendingLogoView = LogoView.pick({ repo: true, path: true, type: true }).openapi('PendingLogo');
export const LogoSuggestionView = z
  .object({
    direction: z.enum(logoDirections.map(({ name }) => name)),
    source: z.enum(['model', 'built-in']),
    svg: z.string(),
    model: z.string().optional(),
    usage: Usage.optional(),
  })
  .openapi('LogoSuggestion');

export const VersionView = z
  .object({
    version: z.string(),
    release: z.string(),
    commit: z.string(),
    taggedAt: z.string(),
    digest: z.string().optional(),
    url: z.string().optional(),
    run: z.string().optional(),
    zones: z.array(z.string()).openapi({ description: 'Where it runs now.' }),
  })
  .openapi('Version');

export const IssueView = z
  .object({
    repo: z.string(),
    number: z.int(),
    title: z.string(),
    body: z.string(),
    url: z.string(),
    state: z.enum(['open', 'closed']),
    labels: z.array(z.string()),
    author: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi('Issue');

export function issueView(repo: string, issue: Issue): z.infer<typeof IssueView> {
  const { number, title, body, url, state, labels, author, createdAt, updatedAt } = issue;
  return { repo, number, title, body, url, state, labels, author, createdAt, updatedAt };
}
