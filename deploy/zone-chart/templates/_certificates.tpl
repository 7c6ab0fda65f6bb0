{{/* One certificate per address: one that cannot be had leaves the others as they are. */}}
{{- define "zone.certificates" -}}
{{- if .Values.certificates.clusterIssuer -}}
tls:
  {{- range .Values.ingress.hosts }}
  - hosts: [{{ . | quote }}]
    {{- /* The longest of names leave no room for more. */}}
    secretName: {{ ternary . (sha256sum .) (lt (len .) 250) }}-tls
  {{- end }}
{{- end }}
{{- end }}
