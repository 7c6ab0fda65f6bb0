import { ButtonLink } from '../../parts/button.tsx';
import { Step } from './step.tsx';

/** Leads to the first Product, and from there to its first Change. */
export function ProductStep({
  org,
  product,
  isConnected,
}: {
  org: string;
  product: string | undefined;
  isConnected: boolean;
}) {
  if (product !== undefined)
    return (
      <Step title={`${org} has a Product`} lead="Its first Change starts from an issue on its board.">
        <ButtonLink look="primary" to="/$org/products/$product/board" params={{ org, product }}>
          Open the board of {product}
        </ButtonLink>
      </Step>
    );
  return (
    <Step
      title="Ship the first Product"
      lead="From a template, from a repo of yours, or from an archive. Its first Release follows without another click."
    >
      {isConnected ? (
        <ButtonLink look="primary" to="/$org/products/new" params={{ org }}>
          Create a Product
        </ButtonLink>
      ) : (
        <>
          <p>A Product has its repos at the code host, and {org} is not connected to one yet.</p>
          <ButtonLink look="primary" to="/setup" search={{ step: 'codehost' }}>
            Connect the code host first
          </ButtonLink>
        </>
      )}
    </Step>
  );
}
