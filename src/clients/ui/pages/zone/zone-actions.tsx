import { SlidersHorizontal, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { FreezeButton } from '../../parts/freeze.tsx';

type Zone = Schemas['ZoneDetails'];

/** Lists the actions on the zone. The Product page has the drawer that compares and promotes. */
export function ZoneActions({ zone }: { zone: Zone }) {
  const { org, product, name, status, actions, offeredRelease } = zone;
  const promote = actions.find((action) => action.name === 'promoteToZone');
  const why = promote?.allowed === true ? undefined : (promote?.message ?? 'This is not possible now.');
  const { currentPromotion } = status;
  return (
    <>
      <FreezeButton zone={zone} />
      <PromoteLink zone={zone} why={status.version === undefined ? 'Nothing runs here yet.' : why} isRollback>
        <Undo2 className="i s" aria-hidden="true" />
        Roll back…
      </PromoteLink>
      <ButtonLink to="/$org/products/$product/zones/$zone/settings" params={{ org, product, zone: name }}>
        <SlidersHorizontal className="i s" aria-hidden="true" />
        Settings
      </ButtonLink>
      {currentPromotion?.phase === 'WaitingForApproval' ? (
        <ButtonLink
          look="primary"
          to="/$org/releases/$release"
          params={{ org, release: currentPromotion.release }}
          hash="decision"
        >
          Review {currentPromotion.version}
        </ButtonLink>
      ) : (
        <PromoteLink zone={zone} why={why} look="primary">
          {offeredRelease ? `Promote ${offeredRelease.version}…` : 'Promote…'}
        </PromoteLink>
      )}
    </>
  );
}

type PromoteLinkProps = {
  zone: Zone;
  why: string | undefined;
  look?: 'primary';
  isRollback?: boolean;
  children: ReactNode;
};

function PromoteLink({ zone: { org, product, name }, why, look, children }: PromoteLinkProps) {
  if (why !== undefined) return <Button why={why}>{children}</Button>;
  return (
    <ButtonLink
      {...(look && { look })}
      to="/$org/products/$product"
      params={{ org, product }}
      search={{ promote: name }}
    >
      {children}
    </ButtonLink>
  );
}
