import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { licenseQuery } from '../../../api/queries/settings.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { clearSent } from '../../../parts/clear-sent.ts';
import { AreaField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';

/** Replaces the licence. The text stays in the field when it is rejected. */
export function InstallLicense({ why }: { why: string | undefined }) {
  const queryClient = useQueryClient();
  const [text, setText] = useState('');
  const install = useMutation({
    mutationFn: async (license: string) => await request('put', '/v1/license', { params: {}, body: { license } }),
    onSuccess: (installed, sent) => {
      setText(clearSent(sent, ''));
      announce('Installed.');
      queryClient.setQueryData(licenseQuery.queryKey, installed);
    },
  });
  return (
    <Form
      label="Install a licence"
      error={install.error}
      why={why}
      onSubmit={() => install.isPending || install.mutate(text)}
      foot={
        <Button look="primary" type="submit" busy={install.isPending} why={why}>
          Install
        </Button>
      }
    >
      <AreaField
        label="Licence"
        hint={
          <>
            One line that starts with <code>lic1.</code> It replaces the one installed. Checked offline.
          </>
        }
        pointer="/license"
        name="license"
        required
        spellCheck={false}
        rows={4}
        value={text}
        onChange={setText}
      />
    </Form>
  );
}
