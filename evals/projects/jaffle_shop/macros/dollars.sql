{#- The raw files hold money as whole cents; every mart column holds dollars. -#}
{% macro dollars(cents) -%}
    cast({{ cents }} / 100 as decimal(12, 2))
{%- endmacro %}
