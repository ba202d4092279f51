select 1 as note_id
