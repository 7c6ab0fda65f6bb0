import { useMutation } from '@tanstack/react-query';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import forms from '../../../parts/form.module.css';
import { ProblemNotice } from '../../../parts/problem.tsx';

/** Sends the browser to the code host, which asks the person to create the org's app there. */
export function ConnectCodehost({
  org,
  isConnected,
  why,
}: {
  org: string;
  isConnected: boolean;
  why: string | undefined;
}) {
  const connect = useMutation({
    mutationFn: async () => await request('post', '/v1/orgs/{org}/codehost/connect', { params: { org } }),
    onSuccess: postForm,
  });
  return (
    <>
      {connect.error && <ProblemNotice error={connect.error} />}
      <div className={forms['foot']}>
        <Button
          look={isConnected ? undefined : 'primary'}
          why={why}
          busy={connect.isPending || connect.isSuccess}
          onClick={() => connect.mutate()}
        >
          {isConnected ? 'Connect again…' : 'Connect the code host…'}
        </Button>
        {why !== undefined && <p className={forms['why']}>{why}</p>}
      </div>
    </>
  );
}

/** The code host takes the manifest only from a form that the browser posts. */
function postForm({ action, manifest }: { action: string; manifest: string }): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = action;
  const input = document.createElement('input');
  input.type = 'hidden';
  input.name = 'manifest';
  input.value = manifest;
  form.append(input);
  document.body.append(form);
  form.submit();
}
