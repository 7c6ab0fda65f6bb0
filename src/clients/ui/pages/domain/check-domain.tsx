import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { domainQuery } from '../../api/queries/domains.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { announce } from '../../shell/announcer.tsx';
import { toDomainState, type Domain } from '../domains/domain-state.ts';

/** Queries the name servers at once, and shows what they return. */
export function useDomainCheck(org: string, name: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/domains/{domain}/check', { params: { org, domain: name } }),
    onSuccess: (checked) => {
      queryClient.setQueryData(domainQuery(org, name).queryKey, checked);
      void queryClient.invalidateQueries({ queryKey: ['explain', org] });
      announce(`Checked: ${toDomainState(checked.status)[1]}.`);
    },
  });
}

type CheckProps = { domain: Domain; check: Pick<ReturnType<typeof useDomainCheck>, 'isPending' | 'mutate'> };

export function CheckDomain({ domain: { actions }, check }: CheckProps) {
  const action = actions.find((one) => one.name === 'checkDomain');
  const why = action?.allowed === true ? undefined : (action?.message ?? 'You may not check this domain.');
  return (
    <Button look="primary" why={why} busy={check.isPending} onClick={() => check.mutate()}>
      <RefreshCw className="i s" aria-hidden="true" />
      {check.isPending ? 'Asking…' : 'Check now'}
    </Button>
  );
}
